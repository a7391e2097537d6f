/**
 * Groups of like questions keep stems and names out of messages, in which the erased text is not found any more
 * as a whole: those of messages that held it go. Bound to a JSON list of rowids of messages, before these are changed.
 */
export const DROP_QUESTION_GROUPS = `DELETE FROM "QuestionGroups" WHERE "GroupId" IN (
  SELECT g."GroupId" FROM json_each(?) named
  JOIN "AgentMessages" m ON m."Id" = named.value
  JOIN "QuestionGroups" g ON g."FromAgentId" IN (m."FromAgentId", m."ToAgentId") AND g."ToAgentId" IN (m."FromAgentId", m."ToAgentId")
  WHERE g."GroupId" = m."Id" OR EXISTS (
    SELECT 1 FROM json_each(CASE WHEN json_valid(g."Members") THEN g."Members" ELSE '[]' END) x
    WHERE CASE x.type WHEN 'array' THEN m."Id" IN (json_extract(x.value, '$[0]'), json_extract(x.value, '$[1]')) END))`;
