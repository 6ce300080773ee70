/** The reply of a command that had to be carried out. */
export function done<Reply extends { outcome: string }>(
  reply: Reply,
): Extract<Reply, { outcome: "done" | "pending" }> {
  if (reply.outcome !== "done") throw new Error(`not done: ${JSON.stringify(reply)}`);
  return reply as Extract<Reply, { outcome: "done" | "pending" }>;
}
