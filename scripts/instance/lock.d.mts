/** A short name for a folder, safe in file names and environment variables. */
export declare function shortHash(text: string): string;
/** Runs `work` while holding the machine-wide lock of that name, waiting for it first. */
export declare function withLock<T>(name: string, work: () => Promise<T>): Promise<T>;
