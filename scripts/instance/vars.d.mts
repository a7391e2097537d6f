type Vars = Readonly<Record<string, string>>;

interface OpenAiSettings {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly model: string | undefined;
}

/** Reads the form of `.dev.vars`. */
export declare function parseVars(text: string): Record<string, string>;
/** Writes vars for wrangler's `--env-file`; throws for a value with all three kinds of quotes. */
export declare function formatVars(vars: Vars): string;
/**
 * The vars of an instance: those of `below` (default `.dev.vars`) and over them those of the file `above`.
 * A token that neither has is generated into `below`. Throws when `above` names no file.
 */
export declare function loadVars(
  above: string | undefined,
  log: (line: string) => void,
  below?: string,
): Promise<Record<string, string>>;
/** The model server's settings, from the environment or else from the vars. */
export declare function openAiSettings(vars: Vars, environment: Vars): OpenAiSettings;
/** The vars that the Worker gets. */
export declare function workerVars(vars: Vars, openAi: OpenAiSettings): Record<string, string>;
