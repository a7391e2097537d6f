export interface ConfigTarget {
  readonly names: Readonly<
    Record<"worker" | "database" | "namespace" | "files" | "texts" | "viewer", string>
  >;
  /** Path of the file of own keys, which need not exist. */
  readonly ownConfig: string;
  /** Null where nothing is deployed. */
  readonly accountId: string | null;
  readonly databaseId: string | null;
  readonly namespaceId: string | null;
}

/** The config of one instance's Worker; its paths are relative to the folder. Throws a `Problem` for a file that cannot be read. */
export declare function workerConfig(target: ConfigTarget, folder: string): Readonly<Record<string, unknown>>;
