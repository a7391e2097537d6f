/**
 * Runners side by side: some compute, others mostly wait for whole instances, servers and browsers. Which projects
 * there are stands in vitest.config.ts.
 */
export const RUNNERS = [
  ["--project", "unit", "--project", "viewer"],
  ["--project", "runtime", "--shard=1/2"],
  ["--project", "runtime", "--shard=2/2"],
  ["--project", "process", "--project", "service"],
];
