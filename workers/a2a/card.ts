/** An agent as A2A's clients read of it. Pure. */
import type { AgentCard } from "@a2a-js/sdk";
import type { DirectoryEntry } from "../../core/engine/world.ts";
import { VERSION } from "../version.ts";

/** `origin` as the client has reached us: the viewer's address or the Worker's. */
export function agentCard({ agentId, name, description }: DirectoryEntry, origin: string): AgentCard {
  const url = `${origin}/a2a/${agentId}`;
  const binding = { url, protocolBinding: "JSONRPC", tenant: "" };
  return {
    name,
    description: description === "" ? name : description,
    supportedInterfaces: [
      { ...binding, protocolVersion: "1.0" },
      { ...binding, protocolVersion: "0.3" },
    ],
    provider: undefined,
    version: VERSION,
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    securitySchemes: {
      token: {
        scheme: {
          $case: "httpAuthSecurityScheme",
          value: { scheme: "Bearer", bearerFormat: "", description: "A token of this instance." },
        },
      },
    },
    securityRequirements: [{ schemes: { token: { list: [] } } }],
    defaultInputModes: ["text/plain", "application/json"],
    defaultOutputModes: ["text/plain"],
    skills: [
      {
        id: "chat",
        name: "Chat",
        description: description === "" ? "Answers messages and does what they ask for." : description,
        tags: ["chat"],
        examples: [],
        inputModes: [],
        outputModes: [],
        securityRequirements: [],
      },
    ],
    signatures: [],
  };
}
