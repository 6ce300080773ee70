import { type KeysProgram } from "@holdfast/postgres";
import { keyRingSetting } from "@holdfast/service-runtime";
import type { GatewayDatabase } from "./database.ts";
import { peppersInUse } from "./merchant/peppers-in-use.ts";

/** The settings of all key rings. Each listener has only those that it needs. */
const settings = {
  CREDENTIAL_PEPPERS: keyRingSetting().optional(),
  CARD_SEALING_KEYS: keyRingSetting().optional(),
  THREE_DS_STATE_KEYS: keyRingSetting().optional(),
};

/** `holdfast keys gateway status`, beside a running gateway. */
export const gatewayKeys: KeysProgram<typeof settings, GatewayDatabase> = {
  service: "api-gateway",
  schema: "gateway",
  settings,
  rings: ({ CREDENTIAL_PEPPERS: peppers, CARD_SEALING_KEYS: sealing, THREE_DS_STATE_KEYS: states }) => [
    peppers && peppersInUse(peppers),
    sealing && {
      setting: "CARD_SEALING_KEYS",
      ring: sealing,
      oldKeyStays: "until no gateway seals under it and no checkout page from before is open",
    },
    states && {
      setting: "THREE_DS_STATE_KEYS",
      ring: states,
      oldKeyStays: "for THREE_DS_STATE_LIFETIME (2 h) after no gateway signs under it",
    },
  ],
};
