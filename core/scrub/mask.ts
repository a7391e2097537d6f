/** What a mask looks like, and how to recognise one. */

const MAX_NAME = 128;

export const MASK_START = "[secret";

/** One mask; the name's characters are those that {@link maskFor} lets through. */
const MASK = /\[secret(?::[\w.-]{1,128})?\]/;
const MASKS = new RegExp(`(${MASK.source})`);

/** The mask for a known secret, or for something that only looks like a credential (`null`). */
export function maskFor(name: string | null): string {
  return name === null ? "[secret]" : `[secret:${name.replace(/[^\w.-]/g, "_").slice(0, MAX_NAME)}]`;
}

/** Whether the text holds `[secret]` or `[secret:NAME]`, so that it must not be used as a real value. */
export function holdsMask(text: string): boolean {
  return text.includes(MASK_START) && MASK.test(text);
}

/** Splits at masks: texts at even indices, masks at odd ones. */
export function splitAtMasks(text: string): string[] {
  return text.includes(MASK_START) ? text.split(MASKS) : [text];
}
