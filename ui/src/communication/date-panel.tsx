/** The jump to a day. */
import { changeQuery } from "../location/place.ts";
import { closeFoldOut, FoldOut } from "./fold-out.tsx";
import { texts } from "./texts.ts";

export function DatePanel() {
  return (
    <FoldOut icon="day" label={texts.date} name="date">
      <form
        class="date-form"
        onSubmit={(event) => {
          event.preventDefault();
          const day = new FormData(event.currentTarget).get("day");
          if (typeof day !== "string" || day === "") return;
          closeFoldOut(event.currentTarget);
          changeQuery({ m: day });
        }}
      >
        <label>
          {texts.day}
          <input type="date" name="day" required />
        </label>
        <button type="submit" class="primary">
          {texts.go}
        </button>
      </form>
    </FoldOut>
  );
}
