/** The fields that most changes are about; they edit the same document as its text. */

import { configTexts } from "./config-texts.ts";
import { type CommonFields, commonFields, formatDocument, parseDocument, withFields } from "./document.ts";

interface ConfigFormProps {
  readonly text: string;
  /** Whether the agent has still to get its id. */
  readonly isNew: boolean;
  edit(text: string): void;
}

export function ConfigForm({ text, isNew, edit }: ConfigFormProps) {
  const document = parseDocument(text);
  if (document === null) return <p class="note">{configTexts.noForm}</p>;
  const fields = commonFields(document);
  const change = (changes: Partial<CommonFields>) => edit(formatDocument(withFields(document, changes)));
  const line = (name: Exclude<keyof CommonFields, "paused">) => (
    <label>
      {configTexts[name]}
      <input
        value={fields[name]}
        dir="auto"
        onChange={(event) => change({ [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <div class="config-form">
      {isNew && line("agentId")}
      {line("name")}
      <label>
        {configTexts.description}
        <textarea
          rows={2}
          dir="auto"
          value={fields.description}
          onInput={(event) => change({ description: event.currentTarget.value })}
        />
      </label>
      <label>
        {configTexts.systemPrompt}
        <textarea
          rows={10}
          dir="auto"
          value={fields.systemPrompt}
          onInput={(event) => change({ systemPrompt: event.currentTarget.value })}
        />
      </label>
      {line("model")}
      {line("colleagues")}
      <label class="check">
        <input
          type="checkbox"
          checked={fields.paused}
          onChange={(event) => change({ paused: event.currentTarget.checked })}
        />
        {configTexts.paused}
      </label>
      <p class="quiet">{configTexts.more}</p>
    </div>
  );
}
