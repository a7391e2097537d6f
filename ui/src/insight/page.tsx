import { speak } from "../language/language.ts";
import { addressOf } from "../location/place.ts";
import { EmptyNote } from "../parts/notes.tsx";

const texts = speak(
  {
    title: "Insight",
    notYet:
      "The analysis figures are not part of this version. What a chain has cost stands in the chain itself:",
    communication: "open a message and follow its chain",
  },
  {
    title: "Auswertung",
    notYet:
      "Die Auswertung gehört noch nicht zu dieser Version. Was ein Vorgang gekostet hat, steht im Vorgang selbst:",
    communication: "öffne eine Nachricht und folge ihrem Vorgang",
  },
);

/** The place of the analysis figures. */
export function Page() {
  return (
    <>
      <h1 tabIndex={-1} class="unseen">
        {texts.title}
      </h1>
      <EmptyNote>
        {texts.notYet} <a href={addressOf({ view: "communication" })}>{texts.communication}</a>
      </EmptyNote>
    </>
  );
}
