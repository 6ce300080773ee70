import { keyRingSetting, runKeysCommand, type KeysProgram } from "@holdfast/service-runtime";
import type { PaymentsDatabase } from "./database.ts";
import { fingerprintKeysInUse } from "./fingerprint/fingerprint-ring.ts";
import { fingerprintRing, fingerprintSettings } from "./fingerprint/fingerprint-settings.ts";
import { forgetFingerprints } from "./fingerprint/forget-fingerprints.ts";

const settings = { ...fingerprintSettings, CARD_SEALING_KEYS: keyRingSetting() };

/** `node program/src/keys.ts status | forget-fingerprints --key ID`, beside running payments. */
export const paymentsKeys: KeysProgram<typeof settings, PaymentsDatabase> = {
  service: "payments",
  schema: "payments",
  settings,
  rings: ({ CARD_SEALING_KEYS: ring, ...config }) => [
    fingerprintKeysInUse(fingerprintRing(config), config.IDEMPOTENCY_RETENTION),
    {
      setting: "CARD_SEALING_KEYS",
      ring,
      oldKeyStays: "until no gateway seals under it and no checkout from before is open, a day at most",
    },
  ],
  actions: {
    "forget-fingerprints": {
      help: "--key ID  removes what payments were fingerprinted with under a key that has left the ring",
      async run({ db, config, actor, key, out }) {
        if (key === undefined || fingerprintRing(config).keys.has(key)) {
          out("--key must name a key that is no longer in PAN_FINGERPRINT_KEYS\n");
          return 2;
        }
        out(`${await forgetFingerprints(db, key, actor)} fingerprints under ${key} removed\n`);
        return 0;
      },
    },
  },
};

if (import.meta.main) await runKeysCommand(paymentsKeys);
