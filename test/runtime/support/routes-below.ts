/**
 * Routes without a row of their own in the table of roles: they have the role of the row with `/*` above them. Each by
 * its name, so that a new one below `/mcp` or `/a2a` does not get their role unseen.
 */
export const ROUTES_BELOW: readonly string[] = [
  "DELETE /api/tokens/:name",
  "GET /a2a",
  "GET /a2a/:agentId/.well-known/agent-card.json",
  "GET /api/admin/log",
  "GET /api/admin/rollups/check",
  "GET /api/agents/:agentId/versions",
  "GET /api/agents/:agentId/versions/:version",
  "GET /api/backup",
  "GET /api/backup/:table",
  "GET /api/config",
  "GET /api/config/versions",
  "GET /api/config/versions/:version",
  "GET /api/import",
  "GET /api/tokens",
  "POST /a2a/:agentId",
  "POST /api/admin/erase",
  "POST /api/admin/rollups/rebuild",
  "POST /api/backup/:table",
  "POST /api/backup/:table/empty",
  "POST /api/config/diff",
  "POST /api/config/rollback",
  "POST /api/import/:table",
  "POST /api/tokens",
  "POST /hooks/:agentId/:name",
  "POST /mcp",
  "PUT /api/config",
];
