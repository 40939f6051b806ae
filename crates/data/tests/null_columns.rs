//! Columns of NULLs are those that Arrow makes.

use arrow_array::{Array, new_null_array};
use tidegate_data::{DataType, Field, LogicalType, TimeKind, null_column};

#[test]
fn every_type_has_its_nulls() {
    use LogicalType::*;
    let of = |logical: LogicalType| Box::new(DataType::new(logical));
    let row = Row(vec![
        Field { name: "a".into(), ty: DataType::new(Int) },
        Field { name: "b".into(), ty: DataType::new(Array(of(BigInt))) },
    ]);
    let types = [
        Null,
        Boolean,
        TinyInt,
        SmallInt,
        Int,
        BigInt,
        Float,
        Double,
        Decimal(30, 2),
        VarChar(7),
        VarBinary(7),
        Date,
        Time(3),
        Timestamp(3, TimeKind::Regular),
        Timestamp(6, TimeKind::Regular),
        TimestampLtz(9, TimeKind::Regular),
        Array(of(VarChar(7))),
        Map(of(VarChar(7)), of(row.clone())),
        Multiset(of(Date)),
        row,
        Row(Vec::new()),
    ];
    for ty in types {
        let ty = DataType::new(ty).arrow();
        for len in [0, 1, 3, 70] {
            let column = null_column(&ty, len);
            column.to_data().validate_full().unwrap();
            assert_eq!(&column, &new_null_array(&ty, len), "{ty}");
            assert_eq!(column.nulls(), new_null_array(&ty, len).nulls(), "{ty}");
        }
    }
}
