import { uncertaintyIn, type Work } from "../../core/index.ts";
import { refused, type Answer } from "./answer.ts";
import { uncertainCodes } from "./behaviours.ts";
import { BANK_KEY, packetSecret, PACKET_LIFE_MS, statusOf, type GateSession } from "./gate.ts";
import { moneyCall, type Caller } from "./money.ts";
import { macOf, openPacket, sealPacket, signOf } from "./packets.ts";

/** The elements whose values are in the first packet, behind the merchant and its terminal. */
const PACKED = "posnetid XID amount currencyCode installment tranType cardHolderName".split(" ");

/** The first step of 3-D Secure: two packets for the browser's form, the second one with the card. */
export function beginWork({ desk, sent, merchant, address }: Caller): Work<Answer> {
  const behaviour = desk.faults.take("begin") ?? "plain";
  const trouble = uncertaintyIn(uncertainCodes, behaviour);
  const carryOut = async () => {
    if (trouble) return { answer: refused(trouble.code, address) };
    const secret = packetSecret(desk, merchant);
    const seal = (values: string[]) => sealPacket(secret, [...values, desk.bank.clock.now()].join(";"));
    const [data1, data2] = [
      seal([merchant.mid, merchant.tid, ...PACKED.map(sent.field)]),
      seal(["ccno", "expDate", "cvc"].map(sent.field)),
    ];
    return {
      answer: block(address, "oosRequestDataResponse", { data1, data2, sign: signOf(secret, data1, data2) }),
    };
  };
  return { behaviour, carryOut };
}

/** The second step: the result of the authentication. It may be asked for again. */
export function resolveWork(of: Caller): Work<Answer> {
  const { desk, sent, merchant, address } = of;
  const found = sessionOf(of);
  if ("fault" in found) return refusing(of, found.fault);
  const { session } = found;
  const sign = signOf(packetSecret(desk, merchant), sent.field("merchantData"), sent.field("bankData"));
  if (sign !== sent.field("sign")) return refusing(of, "0600");
  const behaviour = desk.faults.take("resolve") ?? "plain";
  const trouble = uncertaintyIn(uncertainCodes, behaviour);
  const carryOut = async () => {
    if (trouble) return { answer: refused(trouble.code, address) };
    const { form } = session;
    const isOther = behaviour === "other_order";
    const xid = isOther ? `${form.xid.slice(0, -1)}_` : form.xid;
    const amount = String(form.amountMinor + (behaviour === "wrong_amount" ? 1n : 0n));
    const status = statusOf(session, desk);
    const mdStatus = behaviour === "no_md_status" ? "" : status.mdStatus;
    const values = {
      xid,
      amount,
      currency: form.currencyCode,
      installment: form.installment,
      point: "00000000",
      pointAmount: "000000000000",
      txStatus: behaviour === "contradiction" ? (status.txStatus === "Y" ? "N" : "Y") : status.txStatus,
      ...(behaviour !== "no_md_status" && { mdStatus }),
      mdErrorMessage: status.message,
    };
    const mac = macOf(merchant, mdStatus, xid, amount, form.currencyCode);
    const answer = block(address, "oosResolveMerchantDataResponse", values);
    return { answer: { ...answer, mac: desk.modes.macs === "none" ? undefined : mac } };
  };
  return { behaviour, carryOut };
}

/** The third step: the payment. The bank does not ask whether the authentication has succeeded. */
export function completeWork(of: Caller): Work<Answer> {
  const { desk, merchant } = of;
  const found = sessionOf(of);
  if ("fault" in found) return refusing(of, found.fault);
  const { form, authentication } = found.session;
  const { pan, expiry, cvv, operation, amountMinor, currency, installment, xid } = form;
  const request = {
    operation,
    amountMinor,
    currency,
    card: { pan, expiry, cvv },
    installments: Number(installment) || 1,
    orderId: `${desk.modes.orderPrefix}${xid}`,
    orderDate: null,
    hostLogKey: "",
    reverses: undefined,
  };
  const sign = (hostLogKey: string) =>
    macOf(merchant, hostLogKey, xid, String(amountMinor), form.currencyCode);
  return moneyCall(of, request, { authentication, sign });
}

/** The session of a bank's packet that this merchant has signed rightly, and in its time. */
function sessionOf({ desk, sent, merchant }: Caller): { session: GateSession } | { fault: string } {
  const md = openPacket(BANK_KEY, sent.field("bankData"));
  const session = md === undefined ? undefined : desk.sessions.find(md);
  if (!session || session.form.merchant !== merchant) return { fault: "0600" };
  const { xid, amountMinor, currencyCode } = session.form;
  if (sent.field("mac") !== macOf(merchant, xid, String(amountMinor), currencyCode)) return { fault: "E216" };
  const isLate = desk.bank.clock.now() - session.openedAtMs > PACKET_LIFE_MS;
  return isLate ? { fault: "0600" } : { session };
}

function refusing({ address }: Caller, fault: string): Work<Answer> {
  return { behaviour: "plain", carryOut: async () => ({ answer: refused(fault, address) }) };
}

function block(address: string, name: string, values: Record<string, string>): Answer {
  return { ...refused("", address), approved: "1", block: { name, values } };
}
