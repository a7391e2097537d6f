export interface DeploymentNotes {
  readonly accountId?: string;
  readonly databaseId?: string;
  readonly namespaceId?: string;
  readonly viewerUrl?: string;
  readonly workerUrl?: string | null;
  /** What is the instance's own, as `D1 database parley`. */
  readonly ours?: readonly string[];
  readonly versionId?: string;
  readonly configFile?: string;
  readonly configHash?: string;
}

export interface Deployment {
  readonly name: string;
  readonly secretsFile: string;
  readonly workerConfig: string;
  notes(): DeploymentNotes;
}

/** What belongs to an instance, by name. */
export declare function namesOf(
  name: string,
): Readonly<Record<"worker" | "database" | "namespace" | "files" | "texts" | "viewer", string>>;

/** Opens, or makes, what this machine knows of a deployed instance. */
export declare function openDeployment(folder: string, name: string, ownConfig?: string): Deployment;

/** The file of one's own keys for an instance's Worker, which need not exist. */
export declare function ownConfigOf(name: string): string;
