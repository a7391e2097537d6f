/** One hash over the names and contents of the files under the folders (or of single files). */
export declare function hashFiles(paths: readonly string[], skip?: (name: string) => boolean): string;
