/** What `startInstance` takes; all optional. */
export interface InstanceOptions {
  /** The viewer's port; 0 (default) picks a free one. */
  readonly port?: number;
  /** All state of the instance; default `.wrangler/state`. One instance at a time. */
  readonly stateDir?: string;
  /** Read above `.dev.vars`: its values win name by name. */
  readonly varsFile?: string;
  /** Default: the demo team, on a real model when OPENAI_API_KEY is set. */
  readonly configFile?: string;
  /** Whether the config file is compared and loaded; default true. With false no agent hears of the start. */
  readonly loadConfig?: boolean;
  /** The Worker's wrangler config, for another build on the same state; default `wrangler.toml`. */
  readonly workerConfig?: string;
  /** Whether the cron trigger fires each minute; default true. */
  readonly cron?: boolean;
  /** Gets progress, warnings and the servers' own lines; default stderr. */
  readonly log?: (line: string) => void;
}

export interface Instance {
  /** The Worker itself, with the platform's `/cdn-cgi/local/*` triggers. */
  readonly workerUrl: string;
  /** The viewer, and the Worker's doors behind it. */
  readonly viewerUrl: string;
  readonly token: string;
  /** Where its state lies, as an absolute path. */
  readonly stateDir: string;
  /** Settles with the reason when the instance cannot be kept running. */
  readonly ended: Promise<string>;
  /** Ends everything in order. */
  stop(): Promise<void>;
  /** Ends every process with SIGKILL (on Linux), as a crash would; the state folder can be started again. */
  kill(): Promise<void>;
}

/** Resolves once viewer and Worker serve and the config is loaded. Throws a `Problem` with the next step. */
export declare function startInstance(options?: InstanceOptions): Promise<Instance>;
