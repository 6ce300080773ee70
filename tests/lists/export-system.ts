import { startTestSystem } from "../support/index.ts";
import type { ListAnswer } from "./list-system.ts";

export type ExportSystem = Awaited<ReturnType<typeof startExportSystem>>;

type Listener = "operator" | "staff";
type Asked = { accept?: string; claims?: Record<string, unknown>; method?: string; body?: object };

/** The operators' and the staff's gateway, which write one file at a time, with every service whose rows they list. */
export async function startExportSystem() {
  const system = await startTestSystem({
    services: [
      "payments",
      "refunds",
      "webhook-dispatcher",
      "settlement",
      "gateway-operator",
      "gateway-staff",
    ],
    running: ["payments", "refunds", "settlement"],
    env: { EXPORTS_IN_FLIGHT_MAX: "1" },
  });
  const dispatcher = await system.start("webhook-dispatcher");
  const [operators, staff] = [await system.start("gateway-operator"), await system.start("gateway-staff")];
  const ports = { operator: operators.port, staff: staff.port };

  const ask = async (listener: Listener, path: string, asked: Asked = {}): Promise<ListAnswer> => {
    const { accept = "application/json", claims, method = "GET", body } = asked;
    const answer = await fetch(`http://127.0.0.1:${ports[listener]}/${listener}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await system.identity.token(claims && { claims })}`,
        accept,
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return {
    ...system,
    dispatcher,
    operatorPort: ports.operator,
    ask,
    /** @returns the merchant's id. */
    async openShop(name: string): Promise<string> {
      const { text } = await ask("operator", "merchants", { method: "POST", body: { name } });
      return (JSON.parse(text) as { merchantId: string }).merchantId;
    },
  };
}
