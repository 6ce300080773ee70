import type { PaymentTexts } from "./payment-texts.ts";

export const TURKISH: PaymentTexts = {
  keptPart: "Kalan",
  reservedPart: "Bloke, tahsil edilmedi",
  beyond: (amount) => `İadeler ve itirazlar tahsil edilenden ${amount} fazlasını aldı.`,
  nextStep: "Sıradaki adım",
  outcomeUnknown: "Sonucu belirsiz",
  overdue: "Gecikmiş",
  refundPending: "İade bekliyor",
  decideRefund: (amount) => `${amount} iadesi için karar ver`,
  answerDispute: (amount) => `${amount} itirazını yanıtla`,
  workOnDifference: "Fark üzerinde çalış",
  installments: "Taksit",
  commission: "Komisyon",
  buyerAddress: "Alıcının adresi",
  amountFrom: "En az tutar",
  amountTo: "En çok tutar",
  currency: "Para birimi",
  account: "Bankadaki hesap",
  captureQuestion: (amount, all) => `${all} tutarının ${amount} kadarı tahsil edilsin mi?`,
  captureOnce: "Bir ödeme bir kez tahsil edilir. Kalanın blokesini banka kaldırır.",
  backToPayment: "Ödemeye dön",
};
