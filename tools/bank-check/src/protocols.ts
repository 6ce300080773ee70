import { shortly, type Question } from "./open-questions.ts";
import { POSNET_QUESTIONS } from "./posnet-questions.ts";
import { gatePostedByServer, LATER, movements } from "./answer-words.ts";

/** The walk's knowledge of a protocol. */
export type CheckedProtocol = {
  /** Credentials or settings of a caller whom the bank has to refuse. */
  stranger: { secrets?: Record<string, string>; settings?: Record<string, string> };
  testHosts: readonly string[];
  questions: readonly Question[];
};

const WRONG = "bank-check-wrong";

const NESTPAY_QUESTIONS: readonly Question[] = [
  {
    question: "Does a voided order free its OrderId?",
    evidence: ["cancel_of_a_sale", "order_used_again_after_cancel"],
    read: (cancel, again) => `the void: ${shortly(cancel)}; the same OrderId again: ${shortly(again)}`,
  },
  {
    question: "Does a Void of its PostAuth restore the hold?",
    evidence: ["cancel_after_capture", "inquiry_after_cancel"],
    read: (cancel, after) => `the void: ${shortly(cancel)}; the order then: ${movements(after)}`,
  },
  {
    question: "Can a hold be voided after its day?",
    evidence: [],
    unseen: LATER,
  },
  {
    question: "Which TransId does the row of a captured hold have?",
    evidence: ["pre_authorization", "capture_of_a_part", "inquiry_after_capture"],
    read: (hold, capture, after) =>
      `the hold ${String(hold["externalTransactionId"])}, the capture ${String(capture["externalTransactionId"])}; the order: ${movements(after)}`,
  },
  {
    question: "Can a second call of one OrderId succeed?",
    evidence: ["second_call_of_the_order"],
    read: (again) => `one after the other: ${shortly(again)}; two at the same moment are not tried`,
  },
  {
    question: "How long after its answer is a movement first seen in the inquiry?",
    evidence: ["pre_authorization", "inquiry_after_approval"],
    read: (hold, after) =>
      `the approval with its inquiry: ${shortly(hold)}; the order directly after it: ${movements(after)}`,
  },
  {
    question: "May our server post the 3-D Secure form?",
    evidence: ["three_ds_enrolment"],
    read: gatePostedByServer,
  },
  {
    question: "How are values hashed that are not ASCII?",
    evidence: [],
    unseen: "the adapter sends ASCII only",
  },
  {
    question: "What does the inquiry say after 3-D Secure without its second step?",
    evidence: ["inquiry_after_enrolment"],
    read: (after) => movements(after),
  },
  {
    question: "What are amounts of currencies without decimals?",
    evidence: [],
    unseen: "such currencies are not offered",
  },
];

const IYZICO_QUESTIONS: readonly Question[] = [
  {
    question: "Do two calls with the same conversationId make two payments?",
    evidence: ["second_call_of_the_order", "inquiry_after_capture"],
    read: (again, after) => `the second call: ${shortly(again)}; the order: ${movements(after)}`,
  },
  {
    question: "What does reporting answer for an id that it has not seen?",
    evidence: ["inquiry_of_unseen"],
    read: (unseen) =>
      unseen.kind === "not_found"
        ? "an empty list"
        : `no empty list: ${shortly(unseen)}; see the evidence for its code`,
  },
  {
    question: "What are phase and paidPrice of a hold, and is a smaller postauth accepted?",
    evidence: ["inquiry_after_approval", "capture_of_a_part", "inquiry_after_capture"],
    read: (held, capture, after) =>
      `the hold: ${movements(held)}; a part: ${shortly(capture)}; then: ${movements(after)}`,
  },
  {
    question: "What does a second completion of one 3-D Secure payment answer?",
    evidence: [],
    unseen: "a completion needs a browser",
  },
  {
    question: "Which HTTP status do failures have?",
    evidence: ["wrong_password"],
    read: (refused) => `the wrong key: ${shortly(refused)}; the evidence has the status`,
  },
  {
    question: "Is the commission column of the settlement file a rate or an amount?",
    evidence: [],
    unseen: "it needs the settlement file of a day with payments",
  },
  {
    question: "What does the signature of a refund's answer cover?",
    evidence: ["partial_refund"],
    read: (refund) => `the refund: ${shortly(refund)}; the evidence has the fields of its answer`,
  },
];

const GARANTI_QUESTIONS: readonly Question[] = [
  {
    question: "Does a declined sale, or an abandoned 3-D Secure form, use the order up?",
    evidence: ["inquiry_after_enrolment"],
    read: (after) => `the order after a form: ${movements(after)}; a second attempt is not made`,
  },
  {
    question: "How does the record show captures and voids?",
    evidence: ["inquiry_after_capture", "inquiry_after_cancel"],
    read: (captured, voided) =>
      `captured: ${movements(captured)}; voided: ${movements(voided)}; the evidence has the rows`,
  },
  {
    question: "With which user's password are answers to the second user signed?",
    evidence: ["partial_refund"],
    read: (refund) => `the refund: ${shortly(refund)}; the evidence has its hash`,
  },
  {
    question: "Can a second call of one order succeed, and when does the inquiry first show a sale?",
    evidence: ["second_call_of_the_order", "inquiry_after_approval"],
    read: (again, after) => `one after the other: ${shortly(again)}; directly after it: ${movements(after)}`,
  },
  { question: "When does the day end, and what does a void answer then?", evidence: [], unseen: LATER },
  {
    question: "Does a void of its capture restore the hold?",
    evidence: ["cancel_after_capture", "inquiry_after_cancel"],
    read: (cancel, after) => `the void: ${shortly(cancel)}; the order then: ${movements(after)}`,
  },
  {
    question: "Does a capture have to repeat the number of installments?",
    evidence: [],
    unseen: "the adapter repeats it",
  },
  {
    question: "How are settlement and batch inquiries answered?",
    evidence: [],
    unseen: "the adapter does not use them",
  },
  {
    question: "Does Md bind amount and currency, and does the bank compare xid with it?",
    evidence: [],
    unseen: "a completion needs a browser",
  },
  {
    question: "May our server post the 3-D Secure form?",
    evidence: ["three_ds_enrolment"],
    read: gatePostedByServer,
  },
  {
    question: "Which code of an issuer asks for 3-D Secure?",
    evidence: ["sale"],
    read: (sale) => `the sale without it: ${shortly(sale)}`,
  },
];

const AKBANK_QUESTIONS: readonly Question[] = [
  {
    question: "Does an abandoned 3-D Secure form use the order up?",
    evidence: ["inquiry_after_enrolment"],
    read: (after) => `the order after a form: ${movements(after)}; a second attempt is not made`,
  },
  {
    question:
      "What does a second capture or a refund over the rest answer, and how does the record show refunds?",
    evidence: ["partial_refund"],
    read: (refund) => `the refund: ${shortly(refund)}; the evidence has the rows`,
  },
  {
    question: "When does the inquiry first show a sale, and what do a status S and rows without a code mean?",
    evidence: ["inquiry_after_approval"],
    read: (after) => `directly after it: ${movements(after)}`,
  },
  {
    question: "How far may the request's time be off, and are random numbers compared?",
    evidence: [],
    unseen: "the time is this machine's, and each number is new",
  },
  {
    question: "Which fields does a return sign today, and does the bank compare the payment with them?",
    evidence: [],
    unseen: "a completion needs a browser",
  },
  {
    question: "Does a second cancel release the hold that the first one made valid again?",
    evidence: ["cancel_after_capture", "inquiry_after_cancel"],
    read: (cancel, after) => `the cancel: ${shortly(cancel)}; the order then: ${movements(after)}`,
  },
  { question: "When does the day end, and what does a cancel answer then?", evidence: [], unseen: LATER },
  {
    question: "Which body has HTTP 401?",
    evidence: ["wrong_password"],
    read: (refused) => `the wrong key: ${shortly(refused)}; the evidence has the body`,
  },
  {
    question: "May our server post the 3-D Secure form?",
    evidence: ["three_ds_enrolment"],
    read: gatePostedByServer,
  },
];

export const PROTOCOLS = {
  nestpay: {
    stranger: { secrets: { apiPassword: WRONG } },
    // The shared test terminals of the banks.
    testHosts: ["entegrasyon.asseco-see.com.tr"],
    questions: NESTPAY_QUESTIONS,
  },
  iyzico: {
    stranger: { secrets: { secretKey: WRONG } },
    testHosts: ["sandbox-api.iyzipay.com"],
    questions: IYZICO_QUESTIONS,
  },
  garanti: {
    stranger: { secrets: { provPassword: WRONG } },
    testHosts: ["sanalposprovtest.garantibbva.com.tr"],
    questions: GARANTI_QUESTIONS,
  },
  akbank: {
    stranger: { secrets: { secretKey: WRONG } },
    testHosts: ["apipre.akbank.com", "virtualpospaymentgatewaypre.akbank.com"],
    questions: AKBANK_QUESTIONS,
  },
  posnet: {
    // The bank identifies its caller by numbers and an address.
    stranger: { settings: { merchantId: "9999999999" } },
    testHosts: ["setmpos.ykb.com"],
    questions: POSNET_QUESTIONS,
  },
} satisfies Record<string, CheckedProtocol>;
export type ProtocolName = keyof typeof PROTOCOLS;
