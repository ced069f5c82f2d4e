-- Planning and sending ask for each recipient whether its token is still its own. By token that is a look into a random
-- page of the largest index, about 10 µs; by installation, which both walk in order, it is one: the page of the one
-- before.
CREATE INDEX token_owner_installation ON token_owner (app_no, installation_no);
