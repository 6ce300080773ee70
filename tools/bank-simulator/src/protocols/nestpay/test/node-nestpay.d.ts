/** The part of node-nestpay 1.0.4 that is used: its own types describe a class where the module is a function. */
declare module "node-nestpay" {
  type Response = { OrderId: string; TransId: string; AuthCode: string; Response: string };
  type Card = { number: string; year: string; month: string; cvv: string };
  type Payment = Card & { amount: string; orderId?: string; installment?: number };

  class NestPay {
    constructor(options: {
      name: string;
      password: string;
      clientId: string;
      currency: string;
      endpoint: string;
    });
    config: { endpoints: Record<string, string> };
    purchase(options: Payment): Promise<Response>;
    authorize(options: Payment): Promise<Response>;
    capture(options: { orderId: string }): Promise<Response>;
    refund(options: { orderId: string; amount: string }): Promise<Response>;
    void(options: { orderId: string }): Promise<Response>;
  }
  export = NestPay;
}
