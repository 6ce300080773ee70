import type { AnyConnector } from "@holdfast/acquirer";

import { iyzicoConnector } from "./iyzico/iyzico-acquirer.ts";
import { nestpayConnector } from "./nestpay/nestpay-connector.ts";
import { simulatorConnector } from "./sim/simulator-connector.ts";

export { iyzicoConnector, nestpayConnector, simulatorConnector };

/** The protocols there are, by the name that an account is made with. */
export const CONNECTORS: ReadonlyMap<string, AnyConnector> = new Map(
  [simulatorConnector, nestpayConnector, iyzicoConnector].map((connector: AnyConnector) => [
    connector.protocol,
    connector,
  ]),
);
