import { FINAL_STATUSES } from "@holdfast/contracts";
import { merchantStatus, PAYMENT_STATES, PAYMENT_TRANSITIONS } from "../src/payment/payment.ts";

/** `docs/payment-states.md`, generated from the transition table. */
export function paymentStatesMarkdown(): string {
  const arrows = Object.entries(PAYMENT_TRANSITIONS).flatMap(([from, all]) =>
    all.map((to) => `    ${from === "NONE" ? "[*]" : from} --> ${to}`),
  );
  const rows = PAYMENT_STATES.map((state) => {
    const shown = merchantStatus(state);
    const webhook = (FINAL_STATUSES as readonly string[]).includes(state) ? "yes" : "";
    const follows = PAYMENT_TRANSITIONS[state].join(", ");
    return `| ${state} | ${shown} | ${webhook} | ${follows} |`;
  });
  return `# States of a payment

Generated from the transition table in \`services/payments/src/payment/payment.ts\` by \`npm run generate\`; a test compares the two.

\`\`\`mermaid
stateDiagram-v2
${arrows.join("\n")}
\`\`\`

| state | shown to merchants as | webhook | may become |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}
