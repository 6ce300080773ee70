import { shortly, type Question } from "./open-questions.ts";
import { gatePostedByServer, LATER, movements } from "./answer-words.ts";

export const POSNET_QUESTIONS: readonly Question[] = [
  {
    question: "Is an order that begins with letters of ours taken, and found again?",
    evidence: ["sale", "inquiry_after_refund"],
    read: (sale, after) => `the sale: ${shortly(sale)}; the order: ${movements(after)}`,
  },
  {
    question: "Which characters stand before the order of a payment with 3-D Secure?",
    evidence: [],
    unseen: "a completion needs a browser; orderPrefix has to be right before the first payment",
  },
  {
    question: "Does upper and lower case tell orders apart, and does it come back?",
    evidence: ["inquiry_after_approval"],
    read: (after) => `the order that was asked for: ${movements(after)}; another case is a mismatch`,
  },
  {
    question: "Is an order free after a decline, and is the amount of a second call compared?",
    evidence: ["second_call_of_the_order", "order_used_again_after_cancel"],
    read: (again, later) => `the second call: ${shortly(again)}; after the void: ${shortly(later)}`,
  },
  {
    question: "Which hostlogkey do captures and voids have, and how does the record show them?",
    evidence: ["inquiry_after_capture", "inquiry_after_cancel"],
    read: (captured, voided) =>
      `captured: ${movements(captured)}; voided: ${movements(voided)}; the evidence has the rows`,
  },
  { question: "When does the group close, and what does a void answer then?", evidence: [], unseen: LATER },
  {
    question: "How are amounts from 1 000 on written in the inquiry?",
    evidence: [],
    unseen: "with points and without are read; run the walk with amountMinor 123456",
  },
  {
    question: "May our server post the 3-D Secure form?",
    evidence: ["three_ds_enrolment"],
    read: gatePostedByServer,
  },
  {
    question: "Does the Sign of a return verify with the key of the bank's panel?",
    evidence: [],
    unseen: "a return needs a browser; verifySign is off until then",
  },
];
