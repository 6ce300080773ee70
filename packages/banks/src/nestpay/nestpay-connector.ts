import type { AcquirerConnector } from "@holdfast/acquirer";
import { createNestpayAcquirer } from "./nestpay-acquirer.ts";
import { NESTPAY_CURRENCIES } from "./nestpay-amount.ts";
import { nestpayCapabilities } from "./nestpay-capabilities.ts";
import {
  nestpaySecrets,
  nestpaySettings,
  type NestpaySecrets,
  type NestpaySettings,
} from "./nestpay-settings.ts";

/** The protocol that about ten Turkish banks have in common, also named EST or CC5. */
export const nestpayConnector: AcquirerConnector<NestpaySettings, NestpaySecrets> = {
  protocol: "nestpay",
  settings: nestpaySettings,
  secrets: nestpaySecrets,
  currencies: NESTPAY_CURRENCIES,
  capabilities: nestpayCapabilities,
  connect: createNestpayAcquirer,
};
