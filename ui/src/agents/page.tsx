/** The team, or one of it. */
import { place } from "../location/place.ts";
import "./agents.css";
import { Detail } from "./detail.tsx";
import { NewAgent } from "./new-agent.tsx";
import { TeamList } from "./team-list.tsx";

export function Page() {
  const { id, query } = place.value;
  if (id !== null) return <Detail key={id} agentId={id} />;
  return query.new === undefined ? <TeamList /> : <NewAgent />;
}
