/** Embeddings as short texts: one signed byte for each dimension, which moves a cosine by less than a hundredth. */

const LARGEST = 127;

export function packVector(vector: readonly number[]): string {
  const scale = LARGEST / Math.max(...vector.map(Math.abs), Number.MIN_VALUE);
  return btoa(String.fromCharCode(...vector.map((value) => (Math.round(value * scale) + 256) % 256)));
}

export function unpackVector(packed: string): readonly number[] {
  return Array.from(atob(packed), (char) => ((char.charCodeAt(0) + 128) % 256) - 128);
}
