/** 16 letters and digits from the platform's secure source. */
export function randomLetters(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 16);
}
