import type { AnyConnector } from "@holdfast/acquirer";

import { akbankConnector } from "./akbank/akbank-bank.ts";
import { garantiConnector } from "./garanti/garanti-bank.ts";
import { iyzicoConnector } from "./iyzico/iyzico-acquirer.ts";
import { nestpayConnector } from "./nestpay/nestpay-connector.ts";
import { posnetConnector } from "./posnet/posnet-bank.ts";
import { simulatorConnector } from "./sim/simulator-connector.ts";

/** The protocols there are, by the name that an account is made with. */
export const CONNECTORS: ReadonlyMap<string, AnyConnector> = new Map(
  [
    simulatorConnector,
    nestpayConnector,
    iyzicoConnector,
    garantiConnector,
    akbankConnector,
    posnetConnector,
  ].map((connector: AnyConnector) => [connector.protocol, connector]),
);
