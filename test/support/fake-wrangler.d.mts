interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
  readonly hangs: boolean;
}

/** Runs one command in this process. @param asked the account's file, then the command's arguments */
export declare function runFakeWrangler(
  asked: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Ended;
