-- What a merchant says about the buyer of a checkout, as the gateway sealed it for the checkout's id (CARD_SEALING_KEYS): it
-- is needed when the buyer pays, and emptied with the checkout's end. A process of the version before leaves it out.
alter table checkout add column sealed_details jsonb check (octet_length(sealed_details::text) <= 131072);

grant update (sealed_details) on checkout to payments_app;
