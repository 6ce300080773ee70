import type { AnyConnector } from "@holdfast/acquirer";

import { akbankConnector } from "./akbank/akbank-bank.ts";
import { AKBANK_CODE_LIST } from "./akbank/result-codes.ts";
import { garantiConnector } from "./garanti/garanti-bank.ts";
import { GARANTI_CODE_LIST } from "./garanti/result-codes.ts";
import { IYZICO_CODE_LIST } from "./iyzico/failure-codes.ts";
import { iyzicoConnector } from "./iyzico/iyzico-acquirer.ts";
import { nestpayConnector } from "./nestpay/nestpay-connector.ts";
import { NESTPAY_CODE_LIST } from "./nestpay/result-codes.ts";
import { posnetConnector } from "./posnet/posnet-bank.ts";
import { POSNET_CODE_LIST } from "./posnet/result-codes.ts";
import { simulatorConnector } from "./sim/simulator-connector.ts";

export {
  akbankConnector,
  garantiConnector,
  iyzicoConnector,
  nestpayConnector,
  posnetConnector,
  simulatorConnector,
};

/** Lists of the banks' codes, which somebody has compared with their source. */
export const CODE_LISTS = [
  NESTPAY_CODE_LIST,
  IYZICO_CODE_LIST,
  GARANTI_CODE_LIST,
  AKBANK_CODE_LIST,
  POSNET_CODE_LIST,
];

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
