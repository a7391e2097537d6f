import type { DeployContext, DeployOptions } from "./deploy.mjs";
import type { CommandOptions } from "./wrangler-command.mjs";

interface Asked {
  readonly command: "dry-run" | "deploy";
  readonly name: string;
  readonly configFile: string | undefined;
  readonly yes: boolean;
  readonly adopt: boolean;
}

/** `npm run deploy`. @param deployments the folder where deployments are kept */
export declare function main(asked: Asked, deployments?: string): Promise<void>;

/** Adds what takes secrets out of texts, and wrangler. */
export declare function createContext(options: DeployOptions, command?: CommandOptions): DeployContext;
