import { randomBytes, randomInt } from "node:crypto";

import { openGateSession, type GateSession as Session, type Sessions } from "../../core/index.ts";
import type { BehaviourName } from "./behaviours.ts";
import type { GateForm } from "./gate-form.ts";

export type GateSession = Session<GateForm, BehaviourName>;
export type GateSessions = Sessions<GateSession>;

export function openSession(
  sessions: GateSessions,
  form: GateForm,
  behaviour: BehaviourName,
  openedAtMs: number,
): GateSession {
  const key = randomBytes(32).toString("hex").toUpperCase();
  const md = `${form.pan.slice(0, 6)}:${key}:${randomInt(1_000, 10_000)}:##${form.merchant.clientId}`;
  return openGateSession(sessions, { md }, form, behaviour, openedAtMs);
}
