interface DemoArguments {
  readonly language: "en" | "de";
  /** Whether the instance stays up after the demo. */
  readonly keep: boolean;
}

/** Throws a Problem for arguments that the demo does not know. */
export declare function readArguments(
  args: readonly string[],
  environment: { readonly LANG?: string },
): DemoArguments;
