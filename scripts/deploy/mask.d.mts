/** Takes the secrets that this machine knows out of a text. */
export declare function createMask(
  secrets: () => Readonly<Record<string, string | undefined>>,
): (text: string) => string;
