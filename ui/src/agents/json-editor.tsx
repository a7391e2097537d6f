/** A text area with line numbers, which can show a line. */
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import { configTexts } from "./config-texts.ts";

interface JsonEditorProps {
  readonly text: string;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  edit(text: string): void;
}

export function JsonEditor({ text, field, edit }: JsonEditorProps) {
  const gutter = useRef<HTMLPreElement>(null);
  const lines = text.split("\n").length;
  return (
    <div class="json-editor">
      <label for="document-text" class="unseen">
        {configTexts.document}
      </label>
      <pre ref={gutter} aria-hidden="true">
        {Array.from({ length: lines }, (_, line) => line + 1).join("\n")}
      </pre>
      <textarea
        id="document-text"
        ref={field}
        value={text}
        wrap="off"
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        onInput={(event) => edit(event.currentTarget.value)}
        onScroll={(event) => gutter.current?.scrollTo({ top: event.currentTarget.scrollTop })}
      />
    </div>
  );
}

/** Selects the line, from 0, and brings it into sight. */
export function showLine(field: HTMLTextAreaElement | null, line: number): void {
  if (field === null) return;
  const lines = field.value.split("\n");
  const start = lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line]?.length ?? 0));
  const height = Number.parseFloat(getComputedStyle(field).lineHeight);
  field.scrollTo({ top: Math.max(0, (line - 3) * height), left: 0 });
}
