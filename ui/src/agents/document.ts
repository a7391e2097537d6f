/** An agent's document as text, and the fields of it that a form shows. Pure. */

export interface CommonFields {
  readonly agentId: string;
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string;
  readonly model: string;
  /** Separated by commas. */
  readonly colleagues: string;
  readonly paused: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/** Two spaces deep, as people edit it. */
export function formatDocument(document: unknown): string {
  return JSON.stringify(document, null, 2);
}

/** Null for what is no JSON object. */
export function parseDocument(text: string): Json | null {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return null;
  }
}

export function commonFields(document: Json): CommonFields {
  const { colleagues } = document;
  return {
    agentId: textOf(document.agentId),
    name: textOf(document.name),
    description: textOf(document.description),
    systemPrompt: textOf(document.systemPrompt),
    model: textOf(objectOf(document.model)?.name),
    colleagues: Array.isArray(colleagues) ? colleagues.map(textOf).join(", ") : "",
    paused: document.paused === true,
  };
}

/** The document with some of its fields changed; everything else stays as it is, in its order. */
export function withFields(document: Json, changes: Partial<CommonFields>): Json {
  const { model, colleagues, ...plain } = changes;
  return {
    ...document,
    ...plain,
    ...(model === undefined ? {} : { model: { ...objectOf(document.model), name: model } }),
    ...(colleagues === undefined
      ? {}
      : {
          colleagues: colleagues
            .split(",")
            .map((id) => id.trim())
            .filter((id) => id !== ""),
        }),
  };
}

/** What a new agent begins with. */
export const NEW_DOCUMENT: Json = {
  agentId: "",
  name: "",
  description: "",
  systemPrompt: "",
  model: { provider: "scripted" },
  colleagues: [],
  tools: {},
};

function objectOf(value: unknown): Json | null {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value)) : null;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
