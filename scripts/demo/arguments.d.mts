interface DemoArguments {
  readonly language: "en" | "de";
  /** Whether the instance stays up after the demo. */
  readonly keep: boolean;
}

/** What was asked for, or that help was. Throws a UsageProblem for arguments that the demo does not know. */
export declare function readArguments(
  args: readonly string[],
  environment: { readonly LANG?: string },
): DemoArguments | "help";
