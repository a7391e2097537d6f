/** The Pages project. */
export declare const viewerFolder: string;
/** Builds the viewer when its sources changed. Throws a `Problem` when it cannot be built. */
export declare function buildViewer(log: (line: string) => void): Promise<void>;
