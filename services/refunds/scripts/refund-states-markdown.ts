import { isFinal, merchantStatus, REFUND_STATES, REFUND_TRANSITIONS } from "../src/refund/refund.ts";

/** `docs/refund-states.md`, generated from the transition table. */
export function refundStatesMarkdown(): string {
  const arrows = Object.entries(REFUND_TRANSITIONS).flatMap(([from, all]) =>
    all.map((to) => `    ${from === "NONE" ? "[*]" : from} --> ${to}`),
  );
  const rows = REFUND_STATES.map((state) => {
    const shown = state === "RESERVING" ? "not at all" : merchantStatus(state);
    const follows = REFUND_TRANSITIONS[state].join(", ");
    return `| ${state} | ${shown} | ${isFinal(state) ? "yes" : ""} | ${follows} |`;
  });
  return `# States of a refund

Generated from the transition table in \`services/refunds/src/refund/refund.ts\` by \`npm run generate\`; a test compares the two. A RESERVING row that is refused or rolled back is deleted.

\`\`\`mermaid
stateDiagram-v2
${arrows.join("\n")}
\`\`\`

| state | shown to merchants as | webhook | may become |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}
