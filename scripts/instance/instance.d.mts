/** What `startInstance` takes; all optional. */
export interface InstanceOptions {
  /** The viewer's port; 0 (default) picks a free one. */
  readonly port?: number;
  /** All state of the instance; default `.wrangler/state`. One instance at a time. */
  readonly stateDir?: string;
  /** In place of `.dev.vars`; a missing API_TOKEN still comes from there. */
  readonly varsFile?: string;
  /** Default: the demo team, on a real model when OPENAI_API_KEY is set. */
  readonly configFile?: string;
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
  /** Settles with the reason when the instance cannot be kept running. */
  readonly ended: Promise<string>;
  /** Ends everything in order. */
  stop(): Promise<void>;
  /** Ends every process with SIGKILL (on Linux), as a crash would; the state folder can be started again. */
  kill(): Promise<void>;
}

/** Resolves once viewer and Worker serve and the config is loaded. Throws a `Problem` with the next step. */
export declare function startInstance(options?: InstanceOptions): Promise<Instance>;
