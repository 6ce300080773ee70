import { OperatorHistory } from "../client/client-history.ts";
import { OperatorClient } from "../client/operator-client.ts";
import type { OperatorIdentity } from "./operator-identity.ts";
import type { Gateway, StaffApi } from "./service-process.ts";

/** All actions of people at the listeners for people, and a client for any person. */
export type Operators = {
  history: OperatorHistory;
  as(name: string): Promise<OperatorClient>;
  /** A person of a merchant's staff, who is as good as an operator to the history. */
  ofStaff(name: string, merchantId: string): Promise<OperatorClient>;
};

/** @param file of the history. */
export function createOperators(
  file: string,
  { gateways, staffApis }: { gateways: readonly Gateway[]; staffApis: readonly StaffApi[] },
  { tokenOf, staffTokenOf, ca }: OperatorIdentity & { ca: string | undefined },
): Operators {
  const history = new OperatorHistory(file);
  const ports = gateways.map(({ operatorPort }) => operatorPort);
  const staffPorts = staffApis.map(({ port }) => port);
  return {
    history,
    as: async (name) => new OperatorClient({ name, token: await tokenOf(name), ports, history, ca }),
    ofStaff: async (name, merchantId) =>
      new OperatorClient({
        name,
        token: await staffTokenOf(name, merchantId),
        ports: staffPorts,
        history,
        ca,
      }),
  };
}
