interface Lock {
  readonly packages?: Readonly<Record<string, { readonly version: string; readonly optional?: boolean }>>;
}

/** Paths of required packages that are absent from `now` or of another version there. */
export declare function missingPackages(wanted: Lock, now: Lock): string[];
