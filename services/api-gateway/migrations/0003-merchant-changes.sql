-- Operators change merchants: name, plan, suspended or not. Its id and its time of creation stay.
grant update (name, status, commission_rate_percent, commission_fixed, commission_currency) on merchant to gateway_app;
