/** Which file is deployed; `configChosen` is false for a demo team that nobody named. */
export declare function configFileOf(
  named: string | undefined,
  deployed: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly configFile: string; readonly configChosen: boolean };
