def get(self, cte, decode, payload, bpayload):
    if not decode:
        return payload
    if cte == 'quoted-printable':
        return decode_q(bpayload)
    elif cte == 'base64':
        value = decode_b(bpayload)
        for defect in value:
            self.handle(defect)
        return value
    elif cte in ('x-uuencode', 'uue'):
        try:
            return _decode_uu(bpayload)
        except ValueError:
            return bpayload
    if isinstance(payload, str):
        return bpayload
    return payload
