/** The whole chain as one file, as the instance makes it. */
import { useSignal } from "@preact/signals";
import { authorizedFetch } from "../api/client.ts";
import { Icon } from "../parts/icon.tsx";
import { saveAs } from "../parts/save-as.ts";
import { texts } from "./texts.ts";

export function ExportButton({ rootRunId }: { readonly rootRunId: string }) {
  const state = useSignal<"idle" | "busy" | "failed">("idle");
  const save = async () => {
    if (state.value === "busy") return;
    state.value = "busy";
    state.value = await authorizedFetch(`/api/chains/${encodeURIComponent(rootRunId)}/export`)
      .then(async (response) => {
        if (!response.ok) return "failed" as const;
        saveAs(`chain-${rootRunId}.json`, await response.blob());
        return "idle" as const;
      })
      .catch(() => "failed" as const);
  };
  return (
    <div class="chain-acts">
      <button type="button" aria-disabled={state.value === "busy"} onClick={() => void save()}>
        <Icon name="save" />
        {texts.export}
      </button>
      {state.value === "busy" && <progress aria-label={texts.exporting} />}
      {state.value === "failed" && <span role="alert">{texts.exportFailed}</span>}
    </div>
  );
}
