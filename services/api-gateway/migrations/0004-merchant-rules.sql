-- What a merchant is charged beyond the flat plan, and the rules under which its payments are rejected unasked.
-- JSON as the contract has it (CommissionPlan.rules, MerchantRules); the gateway only carries it to `payments`.

alter table merchant
  add column commission_rules               jsonb check (jsonb_typeof(commission_rules) = 'array'),
  add column commission_may_exceed_amount   boolean not null default false,
  add column rules                          jsonb check (jsonb_typeof(rules) = 'object'),
  add constraint merchant_commission_rules_need_a_plan check (
    commission_rate_percent is not null or (commission_rules is null and not commission_may_exceed_amount));

grant insert (commission_rules, commission_may_exceed_amount, rules) on merchant to gateway_app;
-- They change together with the plan.
grant update (commission_rules, commission_may_exceed_amount, rules) on merchant to gateway_app;
