# pkg
