/** Which role opens which route. What is not in this table is closed to everybody. docs/access.md prints it. */
import { TrieRouter } from "hono/router/trie-router";
import type { Role } from "../../core/access/roles.ts";

/** `open`: no credential; `signature`: the route checks its own, see hooks.ts. */
export type Needed = Role | "open" | "signature";

/**
 * Method, path and what it needs. `ALL` is every method. A path that ends in `/*` stands for all below it, and for
 * itself. The first row that fits counts.
 */
export const ROUTE_ROLES: readonly (readonly [method: string, path: string, needed: Needed])[] = [
  ["GET", "/api/health", "open"],
  ["ALL", "/hooks/*", "signature"],

  ["GET", "/api/me", "read"],
  ["GET", "/api/agents", "read"],
  ["GET", "/api/agents/:agentId", "read"],
  ["GET", "/api/agents/:agentId/conversation", "read"],
  ["GET", "/api/runs/:runId", "read"],
  ["GET", "/api/chains/:rootRunId", "read"],
  ["GET", "/api/chains/:rootRunId/export", "read"],
  ["GET", "/api/tasks", "read"],
  ["GET", "/api/tasks/:id", "read"],
  ["GET", "/api/messages", "read"],
  ["GET", "/api/messages/:id", "read"],
  ["GET", "/api/pairs", "read"],
  ["GET", "/api/audit", "read"],
  ["GET", "/api/notices", "read"],
  ["GET", "/api/logs", "read"],
  ["GET", "/api/jobs", "read"],
  ["GET", "/api/jobs/:agentId/:jobId/ticks", "read"],
  ["GET", "/api/approvals", "read"],
  ["GET", "/api/approvals/:approvalId", "read"],
  ["GET", "/api/live", "read"],
  ["GET", "/api/mirror", "read"],
  ["GET", "/api/stats", "read"],
  ["GET", "/api/findings", "read"],
  ["GET", "/v1/models", "read"],
  ["GET", "/v1/models/:model", "read"],

  ["POST", "/api/agents/:agentId/chat", "operate"],
  ["POST", "/api/agents/:agentId/runs", "operate"],
  ["DELETE", "/api/agents/:agentId/conversation", "operate"],
  ["POST", "/api/agents/:agentId/pause", "operate"],
  ["POST", "/api/agents/:agentId/resume", "operate"],
  ["POST", "/api/agents/:agentId/tools/:functionName", "operate"],
  ["POST", "/api/pause", "operate"],
  ["POST", "/api/resume", "operate"],
  ["POST", "/api/runs/:runId/cancel", "operate"],
  ["POST", "/api/chains/:rootRunId/cancel", "operate"],
  ["POST", "/api/chains/:rootRunId/release", "operate"],
  ["POST", "/api/tasks", "operate"],
  ["POST", "/api/tasks/:id/comments", "operate"],
  ["POST", "/api/tasks/:id/complete", "operate"],
  ["POST", "/api/tasks/:id/block", "operate"],
  ["POST", "/api/tasks/:id/review", "operate"],
  ["POST", "/api/tasks/:id/cancel", "operate"],
  ["POST", "/api/approvals/:approvalId", "operate"],
  ["POST", "/api/jobs/:agentId/:jobId/run", "operate"],
  ["POST", "/api/jobs/:agentId/:jobId/enable", "operate"],
  ["POST", "/api/jobs/:agentId/:jobId/disable", "operate"],
  ["POST", "/v1/chat/completions", "operate"],
  ["ALL", "/mcp/*", "operate"],
  ["ALL", "/a2a/*", "operate"],

  ["PUT", "/api/agents/:agentId", "admin"],
  ["DELETE", "/api/agents/:agentId", "admin"],
  ["ALL", "/api/agents/:agentId/versions/*", "admin"],
  ["POST", "/api/agents/:agentId/rollback", "admin"],
  ["ALL", "/api/config/*", "admin"],
  ["ALL", "/api/tokens/*", "admin"],
  ["ALL", "/api/import/*", "admin"],
  ["ALL", "/api/backup/*", "admin"],
  ["ALL", "/api/admin/*", "admin"],
];

const router = new TrieRouter<Needed>();
for (const [method, path, needed] of ROUTE_ROLES) router.add(method, path, needed);

/** What that request needs; null when the table does not know its route. Paths match as those of the routes themselves. */
export function neededFor(method: string, path: string): Needed | null {
  // A HEAD is served by the route of its GET.
  const asked = method === "HEAD" ? "GET" : method;
  return router.match(asked, path)[0][0]?.[0] ?? null;
}
