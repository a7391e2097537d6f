/** Embeddings as short texts: one signed byte for each dimension, which moves a cosine by less than a hundredth. */

const LARGEST = 127;

/** Of length 1, so that a cosine is one sum. */
export interface Vector {
  /** Vectors of two models say nothing of each other, also where they are equally long. */
  readonly model: string;
  readonly values: Float32Array;
}

export function packVector(model: string, vector: readonly number[]): string {
  const scale = LARGEST / Math.max(...vector.map(Math.abs), Number.MIN_VALUE);
  const bytes = String.fromCharCode(...vector.map((value) => (Math.round(value * scale) + 256) % 256));
  return `${model} ${btoa(bytes)}`;
}

export function unpackVector(packed: string): Vector {
  const end = packed.lastIndexOf(" ");
  const bytes = atob(packed.slice(end + 1));
  const values = new Float32Array(bytes.length);
  let square = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const value = ((bytes.charCodeAt(index) + 128) % 256) - 128;
    values[index] = value;
    square += value * value;
  }
  const size = Math.sqrt(square);
  if (size > 0)
    for (let index = 0; index < values.length; index += 1) values[index] = (values[index] ?? 0) / size;
  return { model: packed.slice(0, Math.max(0, end)), values };
}

/** -1 to 1; 0 for vectors of two models. */
export function cosine(a: Vector, b: Vector): number {
  if (a.model !== b.model || a.values.length !== b.values.length) return 0;
  let sum = 0;
  for (let index = 0; index < a.values.length; index += 1)
    sum += (a.values[index] ?? 0) * (b.values[index] ?? 0);
  return sum;
}
