export interface DeploymentNotes {
  readonly accountId?: string;
  readonly databaseId?: string;
  readonly namespaceId?: string;
  readonly viewerUrl?: string;
  readonly workerUrl?: string | null;
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
